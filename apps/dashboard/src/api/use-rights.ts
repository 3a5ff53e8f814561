import type { WhoAmI } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { client } from './client.js';

/** Returns the signed-in caller. An error with the code `unauthorized` means that nobody is signed in. */
export function useWhoAmI() {
  return useQuery({ queryKey: ['whoami'], queryFn: ({ signal }) => client.whoAmI({ signal }), staleTime: 30_000 });
}

/** Tells whether the caller has a right: in a tenant, or in any tenant if none is given. */
export type Can = (right: string, tenant?: string) => boolean;

/**
 * Returns a function that tells what the caller may do. It decides only what the pages offer: the server checks every request. Nothing is
 * allowed until the rights are known.
 */
export function useRights(): Can {
  const { data } = useWhoAmI();
  return (right, tenant) => data !== undefined && hasRight(data, right, tenant);
}

function hasRight({ rights }: WhoAmI, right: string, tenant: string | undefined): boolean {
  const tenants = rights.find((one) => one.right === right)?.tenants;
  if (tenants === undefined) return false;
  return tenants === 'all' || (tenant === undefined ? tenants.length > 0 : tenants.includes(tenant));
}
