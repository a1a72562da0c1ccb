"""What we decide about the left follower arm of ALOHA."""

from families.aloha import arm

CHOICES = arm("left")
