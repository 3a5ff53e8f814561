/**
 * The part of a name after that of the parent that makes it one of a child job: the phase, turn and number of its call. Each call names another
 * agent, so that each child job pays for itself.
 */
const CHILD_ROLE = /^h\d+t\d+n\d+$/;

export function isChildRole(role: string | undefined): role is string {
  return role !== undefined && CHILD_ROLE.test(role);
}
