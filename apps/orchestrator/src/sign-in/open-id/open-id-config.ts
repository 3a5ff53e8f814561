import { roles, type ClaimMapping, type MappedRole, type Role } from '@phaseline/identity';
import { flag, isLoopback, list, urlOf } from '@phaseline/service';
import { z } from 'zod';

/** `value=role` or `value=role@tenant`. In a value, `%2C` stands for a comma. */
const ROLE_RULE = /^(.+)=([a-z]+)(?:@(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,62}))?$/;
/** `value=tenant`. */
const TENANT_RULE = /^(.+)=(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,62})$/;

/** The role `delegate` is for services, which do not sign in with a browser. */
const mappableRoles: readonly Role[] = roles.filter((role) => role !== 'delegate');

const optionalName = (what: string) => z.string().min(1).optional().describe(what);

/** Settings of the sign-in with OpenID Connect. Without PHASELINE_OIDC_ISSUER there is none. */
export const openIdFields = {
  PHASELINE_OIDC_ISSUER: urlOf(
    'the URL of an OpenID provider whose accounts may sign in with a browser, such as https://login.example.org',
    ['https:', 'http:'],
  ).optional(),
  PHASELINE_OIDC_CLIENT_ID: optionalName('the id under which this service is registered at the OpenID provider'),
  /** Without it, the service is a public client, which PKCE protects. */
  PHASELINE_OIDC_CLIENT_SECRET: optionalName('the secret that the OpenID provider gave to this service'),
  PHASELINE_OIDC_SCOPES: z
    .string()
    .default('openid profile')
    .describe('the scopes to request from the OpenID provider, separated by blanks'),
  PHASELINE_OIDC_CREATE_PRINCIPALS: flag(
    'whether an account that is linked to no principal gets a new one at its first sign-in',
    false,
  ),
  PHASELINE_OIDC_NAME_CLAIM: z
    .string()
    .min(1)
    .default('preferred_username')
    .describe('the claim that becomes the id of a new principal'),
  PHASELINE_OIDC_ROLES_CLAIM: optionalName('the claim with the groups of a person, such as groups'),
  PHASELINE_OIDC_ROLES: list(
    'the roles that groups give, such as admins=admin@*,acme-dev=operator@acme,dev=operator; without @, in the tenants of PHASELINE_OIDC_TENANTS',
    z.string().refine((text) => parseRole(text) !== undefined),
  ),
  PHASELINE_OIDC_TENANT_CLAIM: optionalName('the claim with the organisation of a person, such as org_id'),
  PHASELINE_OIDC_TENANTS: list(
    'the tenants of organisations, such as org-1=acme,org-2=beta; people of other organisations get no roles',
    z.string().refine((text) => parseTenant(text) !== undefined),
  ),
};

/** The settings that matter here, parsed. */
export interface OpenIdConfig extends z.output<z.ZodObject<typeof openIdFields>> {
  readonly PHASELINE_PUBLIC_URL?: string | undefined;
  readonly PHASELINE_HOST: string;
  readonly PHASELINE_ALLOWED_HOSTS: readonly string[];
}

export interface OpenIdSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly scopes: string;
  /** Where the provider sends the browser back to. */
  readonly callbackUrl: URL;
  readonly createsPrincipals: boolean;
  readonly nameClaim: string;
  readonly mapping: ClaimMapping;
}

const CALLBACK_PATH = '/login/openid/callback';

/** Returns what the settings say; undefined if they name no provider. */
export function readOpenIdSettings(config: OpenIdConfig): OpenIdSettings | undefined {
  const { PHASELINE_OIDC_ISSUER: issuer, PHASELINE_OIDC_CLIENT_ID: clientId, PHASELINE_PUBLIC_URL: own } = config;
  if (issuer === undefined || clientId === undefined || own === undefined) return undefined;
  const tenants: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { value, tenant } of config.PHASELINE_OIDC_TENANTS.map((text) => parseTenant(text)!))
    (tenants[value] ??= []).push(tenant);
  return {
    issuer: new URL(issuer),
    clientId,
    clientSecret: config.PHASELINE_OIDC_CLIENT_SECRET,
    scopes: config.PHASELINE_OIDC_SCOPES,
    callbackUrl: new URL(CALLBACK_PATH, own),
    createsPrincipals: config.PHASELINE_OIDC_CREATE_PRINCIPALS,
    nameClaim: config.PHASELINE_OIDC_NAME_CLAIM,
    mapping: {
      rolesClaim: config.PHASELINE_OIDC_ROLES_CLAIM,
      roles: config.PHASELINE_OIDC_ROLES.map((text) => parseRole(text)!),
      tenantClaim: config.PHASELINE_OIDC_TENANT_CLAIM,
      tenants,
    },
  };
}

/** Reports combinations of settings that cannot work, or that would be less safe than they look. */
export function checkOpenId(config: OpenIdConfig, context: z.core.$RefinementCtx): void {
  const report = (variable: keyof OpenIdConfig, message: string): void =>
    void context.addIssue({ code: 'custom', path: [variable], message });
  const { PHASELINE_OIDC_ISSUER: issuer, PHASELINE_PUBLIC_URL: own } = config;
  if (issuer === undefined) {
    if (config.PHASELINE_OIDC_CLIENT_ID !== undefined || config.PHASELINE_OIDC_CLIENT_SECRET !== undefined)
      report('PHASELINE_OIDC_ISSUER', 'is missing; the other PHASELINE_OIDC settings need the URL of the provider');
    return;
  }
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'http:' && !isLoopback(hostname))
    report('PHASELINE_OIDC_ISSUER', 'must begin with https://, unless the provider runs on this machine');
  if (config.PHASELINE_OIDC_CLIENT_ID === undefined)
    report('PHASELINE_OIDC_CLIENT_ID', 'is missing; register this service at the provider, which then shows the id');
  if (own === undefined)
    report('PHASELINE_PUBLIC_URL', 'is missing; the provider sends browsers back to a path of this URL');
  else if (!isServed(new URL(own).hostname, config))
    report('PHASELINE_ALLOWED_HOSTS', `must contain ${new URL(own).hostname}, the host of PHASELINE_PUBLIC_URL`);
  if (!config.PHASELINE_OIDC_SCOPES.split(' ').includes('openid'))
    report('PHASELINE_OIDC_SCOPES', 'must contain openid');
  if (config.PHASELINE_OIDC_ROLES.length > 0 && config.PHASELINE_OIDC_ROLES_CLAIM === undefined)
    report('PHASELINE_OIDC_ROLES_CLAIM', 'is missing; PHASELINE_OIDC_ROLES needs the claim that contains the groups');
  const hasOpenRole = config.PHASELINE_OIDC_ROLES.some((text) => parseRole(text)?.tenant === undefined);
  if (hasOpenRole && config.PHASELINE_OIDC_TENANT_CLAIM === undefined)
    report('PHASELINE_OIDC_TENANT_CLAIM', 'is missing; roles without @tenant need the claim with the organisation');
  if (config.PHASELINE_OIDC_TENANTS.length > 0 && config.PHASELINE_OIDC_TENANT_CLAIM === undefined)
    report('PHASELINE_OIDC_TENANT_CLAIM', 'is missing; PHASELINE_OIDC_TENANTS needs the claim with the organisation');
}

function isServed(host: string, { PHASELINE_HOST, PHASELINE_ALLOWED_HOSTS }: OpenIdConfig): boolean {
  return isLoopback(host) || [PHASELINE_HOST, ...PHASELINE_ALLOWED_HOSTS].some((name) => name.toLowerCase() === host);
}

function parseRole(text: string): MappedRole | undefined {
  const [, encoded, name, tenant] = ROLE_RULE.exec(text) ?? [];
  const value = encoded === undefined ? undefined : decode(encoded);
  const role = mappableRoles.find((known) => known === name);
  return value === undefined || role === undefined ? undefined : { value, role, tenant };
}

function parseTenant(text: string): { readonly value: string; readonly tenant: string } | undefined {
  const [, encoded, tenant] = TENANT_RULE.exec(text) ?? [];
  const value = encoded === undefined ? undefined : decode(encoded);
  return value === undefined || tenant === undefined ? undefined : { value, tenant };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
