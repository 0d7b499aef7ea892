"""readme_example.py GOLDEN: runs the Python example of GOLDEN/README.md in that folder, as its readers would."""

import pathlib
import re
import subprocess
import sys

golden = pathlib.Path(sys.argv[1])
(example,) = re.findall(r"^```python\n(.*?)^```$", (golden / "README.md").read_text(), re.DOTALL | re.MULTILINE)
done = subprocess.run([sys.executable, "-c", example], cwd=golden, capture_output=True, text=True, check=False)
print(done.stdout, done.stderr, sep="")
if done.returncode != 0 or not re.fullmatch(r"[1-9]\d+ tests pass\n", done.stdout):
    sys.exit("REFUTED   golden_example\nClaim     the README's example runs and passes its tests")
