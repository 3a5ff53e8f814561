import { includesTenant, type TenantSelection } from '@phaseline/identity';

/** A series with a tenant. Names of tenants contain no character that Prometheus escapes. */
const TENANT = /[{,]tenant="([^"]*)"/;

/** Removes the series of all other tenants from metrics in Prometheus text format. */
export function selectTenants(text: string, tenants: TenantSelection): string {
  if (tenants === 'all') return text;
  const isVisible = (line: string): boolean => {
    const [, tenant] = TENANT.exec(line) ?? [];
    return tenant === undefined || includesTenant(tenants, tenant);
  };
  return text.split('\n').filter(isVisible).join('\n');
}
