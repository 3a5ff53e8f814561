import { useSearchParams } from 'wouter';
import { useTenants } from '../api/use-tenants.js';

export interface TenantChoice {
  /** The chosen tenant. Undefined if the caller has the right in none. */
  readonly tenant: string | undefined;
  readonly names: readonly string[];
  readonly choose: (tenant: string) => void;
}

/** Returns the tenant of the address, or the one that the server would choose, and those in which the caller has a right. */
export function useTenantChoice(right: string): TenantChoice {
  const { names } = useTenants(right);
  const [params, setParams] = useSearchParams();
  const given = params.get('tenant');
  const usual = names.includes('default') ? 'default' : names[0];
  return {
    tenant: given ?? usual,
    names: given === null || names.includes(given) ? names : [...names, given],
    choose: (tenant) => setParams({ tenant }, { replace: true }),
  };
}
