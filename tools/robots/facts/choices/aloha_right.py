"""What we decide about the right follower arm of ALOHA."""

from facts.families.aloha import arm

CHOICES = arm("right")
