/** Builds a guard that denies nothing. */
export function buildGuard(name: string): object {
  return { name, owner: 'spec', when: { tool: `never-${name}` }, then: { deny: name } };
}
