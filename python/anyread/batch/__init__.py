"""Many files on many machines: pure functions from columns to columns, for any engine.

`read_rows` and `survey` take a dictionary of columns and return one, so that Ray Data, Daft, Spark or a pool
of processes can call them with each batch. No engine is imported, and a file that cannot be read is a value
in the column `error`.

Example:
    >>> rows = anyread.batch.read_rows({"path": ["poem.txt", "gone.txt"]}, limit=1)
    >>> rows["total_lines"], rows["error"]
    ([2, -1], ['', 'not_found'])
"""

from .budget import Histogram, level
from .reading import ROW_TYPES, ReadRows, read_rows, survey
from .surveying import SURVEY_TYPES

__all__ = ["ROW_TYPES", "SURVEY_TYPES", "Histogram", "ReadRows", "level", "read_rows", "survey"]
