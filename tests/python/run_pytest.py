"""run_pytest.py FOLDER: pytest, leaving no files behind."""

import pathlib
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))  # for mutant_connector
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[1]]))
