"""readme_example.py GOLDEN: runs the Python examples of GOLDEN/README.md in that folder, one after the other, as its
readers would."""

import pathlib
import re
import subprocess
import sys

golden = pathlib.Path(sys.argv[1])
examples = re.findall(r"^```python\n(.*?)^```$", (golden / "README.md").read_text(), re.DOTALL | re.MULTILINE)
example = "".join(examples)
done = subprocess.run([sys.executable, "-c", example], cwd=golden, capture_output=True, text=True, check=False)
print(done.stdout, done.stderr, sep="")
if len(examples) != 2 or done.returncode != 0 or not re.fullmatch(r"[1-9]\d+ tests pass\n", done.stdout):
    sys.exit("REFUTED   golden_example\nClaim     the README's two examples run and pass their tests")
