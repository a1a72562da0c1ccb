"""Pictures of motions; needs the extra ``kinetic[viz]`` (matplotlib)."""
