/** Names tenants for people: `all tenants` for a grant that covers every one. */
export function formatTenants(tenants: 'all' | readonly string[]): string {
  return tenants === 'all' || tenants.includes('*') ? 'all tenants' : tenants.join(', ');
}

/** Splits names that a person separated by commas or spaces. */
export function splitNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}
