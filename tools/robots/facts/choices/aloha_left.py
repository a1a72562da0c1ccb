"""What we decide about the left follower arm of ALOHA."""

from facts.families.aloha import arm

CHOICES = arm("left")
