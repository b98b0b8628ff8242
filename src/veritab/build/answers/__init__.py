"""Wrong answers for questions: of the right one's type, found in passages, none of them another name for it."""
