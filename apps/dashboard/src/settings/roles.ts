/** The roles that can be granted. test/docs compares them with those of the server. */
export const roleNames = ['viewer', 'operator', 'approver', 'author', 'auditor', 'admin', 'delegate'] as const;
