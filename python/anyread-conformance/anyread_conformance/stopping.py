"""The two ways in which a rule ends early."""


class RuleBrokenError(Exception):
    """The reader breaks the rule; the message says how."""


class NotApplicableError(Exception):
    """The rule does not apply to this reader or this machine; the message says why."""
