import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CommonConfig } from '../config/service-config.js';
import { ALL_TENANTS, hasRightSomewhere, parseKeyPrefix, type Caller, type KeyDirectory } from '@phaseline/identity';
import { AddressLimit } from './address-limit.js';
import { mayBeForged, type BrowserSessions } from './browser-sessions.js';
import { areKeysNeeded, createLocalCaller, findLocalCaller } from './local-caller.js';
import { parseApiKey } from './api-keys.js';
import { PROBLEM_TYPE, createProblemBody, type ServiceProblemCode } from './problem-body.js';
import { isLoopback } from './loopback.js';

/** Paths that need no key and, on a service reachable from other machines, no known host name. They reveal no content of jobs. */
const probes: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** Number of wrong keys per address and minute after which further ones are refused with a time to wait. */
const MAX_WRONG_KEYS_PER_MINUTE = 20;

/** Probes whose response is the same for every caller. They are answered also while the database, and with it the directory, is down. */
const probesOfAnybody: ReadonlySet<string> = new Set(['/health', '/ready']);

interface Refusal {
  readonly status: number;
  readonly code: ServiceProblemCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The part of the directory of principals that requests need. */
export type CallerDirectory = Pick<KeyDirectory, 'findCaller' | 'findPrincipal' | 'hasAccepted' | 'hasAdministrator'>;

interface KnownKey {
  readonly name: string;
  readonly digest: Buffer;
}

/** The sender of a request as far as it was authenticated, or why the request is refused. */
type Authentication = { readonly caller: Caller | undefined } | { readonly refusal: Refusal };

const callers = new WeakMap<object, Caller>();
const authenticators = new WeakMap<object, () => Promise<Authentication>>();
const localCaller = createLocalCaller();

/** Returns the sender of a request that was authenticated, also if the route requires no key. */
export function findCaller(request: Pick<FastifyRequest, 'raw'>): Caller | undefined {
  return callers.get(request.raw);
}

/** Returns the authenticated sender of a request. If the service requires no key, it is the user who runs it. */
export function getCaller(request: Pick<FastifyRequest, 'raw'>): Caller {
  return callers.get(request.raw) ?? localCaller;
}

/**
 * Authenticates the sender of a request again, for a response that lasts longer than its request. Returns the sender with its present
 * roles; undefined if its key was revoked or has expired, its session has ended, or its principal was disabled. It keeps no session alive.
 */
export async function authenticateAgain(request: Pick<FastifyRequest, 'raw'>): Promise<Caller | undefined> {
  const authentication = await authenticators.get(request.raw)?.();
  if (!authentication || 'refusal' in authentication) return undefined;
  const first = getCaller(request);
  const caller = authentication.caller ?? localCaller;
  // Where no key is needed, a request whose session has ended is one of the local user.
  const isSame = caller.id === first.id && caller.authentication?.method === first.authentication?.method;
  return isSame ? caller : undefined;
}

/**
 * Rejects requests with a foreign host name (DNS rebinding) or origin, which a web page in a browser on this machine could send, and,
 * if keys are configured, requests without a valid key. Runs before anything else. A service that other machines can reach and that
 * has no keys answers only probes.
 */
export function guardRequests(
  http: FastifyInstance,
  config: CommonConfig,
  sessions?: BrowserSessions,
  directory?: CallerDirectory,
): void {
  const failures = new AddressLimit(MAX_WRONG_KEYS_PER_MINUTE);
  const keys = config.PHASELINE_API_KEYS.map(parseApiKey).map(({ name, key }) => ({ name, digest: digest(key) }));
  const names = new Set([...config.PHASELINE_ALLOWED_HOSTS, config.PHASELINE_HOST].map((name) => name.toLowerCase()));
  const origins = new Set(config.PHASELINE_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()));
  const isKnownHost = (host: string): boolean => isLoopback(host) || names.has(host);
  const isReachable = !isLoopback(config.PHASELINE_HOST);

  const isKeyNeeded = async (isProbe: boolean): Promise<boolean> =>
    !isProbe && (await areKeysNeeded(config, directory));

  const authenticate = async (
    request: FastifyRequest,
    path: string,
    isProbe: boolean,
    { counter = failures, isUse = true }: { readonly counter?: AddressLimit; readonly isUse?: boolean } = {},
  ): Promise<Authentication> => {
    const found =
      (await checkSession(request, sessions, isUse)) ??
      (sessions?.isPublic(path) === true
        ? { caller: undefined }
        : await checkKey(request, {
            ...{ keys, directory, failures: counter },
            isKeyNeeded: () => isKeyNeeded(isProbe),
            isLocal: async () => !(await isKeyNeeded(false)),
          }));
    return 'refusal' in found ? found : checkPrincipal(request, found.caller, directory);
  };

  const checkCaller = async (request: FastifyRequest, path: string, isProbe: boolean): Promise<Refusal | undefined> => {
    const authentication = await authenticate(request, path, isProbe);
    if ('refusal' in authentication) return authentication.refusal;
    if (authentication.caller) callers.set(request.raw, authentication.caller);
    // A key that became invalid is no guess, so it is not counted as a failure of its address.
    authenticators.set(request.raw, () =>
      authenticate(request, path, isProbe, { counter: new AddressLimit(MAX_WRONG_KEYS_PER_MINUTE), isUse: false }),
    );
    return undefined;
  };

  http.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    const isProbe = probes.has(path);
    const refusal =
      (isProbe && isReachable ? undefined : checkHost(request, isKnownHost)) ??
      checkOrigin(request, isKnownHost, origins) ??
      (probesOfAnybody.has(path) ? undefined : await checkCaller(request, path, isProbe));
    if (refusal) await refuse(reply, refusal);
  });
}

function checkHost(request: FastifyRequest, isKnownHost: (host: string) => boolean): Refusal | undefined {
  const host = parseHostName(request.headers.host);
  if (host !== undefined && isKnownHost(host)) return undefined;
  return {
    status: 403,
    code: 'forbidden_host',
    message: 'This host name is not served here. If it should be, add it to PHASELINE_ALLOWED_HOSTS.',
  };
}

function checkOrigin(
  request: FastifyRequest,
  isKnownHost: (host: string) => boolean,
  origins: ReadonlySet<string>,
): Refusal | undefined {
  const origin = request.headers.origin?.toLowerCase();
  if (origin === undefined || origins.has(origin)) return undefined;
  // A page served by this service: the same host and port, under a known host name.
  const [, authority] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  const host = parseHostName(authority);
  if (authority === request.headers.host?.toLowerCase() && host !== undefined && isKnownHost(host)) return undefined;
  return {
    status: 403,
    code: 'forbidden_origin',
    message: 'Web pages of this origin may not call this service. If they should, add it to PHASELINE_ALLOWED_ORIGINS.',
  };
}

/** Finds the caller of a request with the cookie of a session; undefined without a valid one. A key takes precedence. */
async function checkSession(
  request: FastifyRequest,
  sessions: BrowserSessions | undefined,
  isUse: boolean,
): Promise<Authentication | undefined> {
  const { authorization, cookie, 'x-api-key': apiKey } = request.headers;
  if (!sessions || cookie === undefined || authorization !== undefined || apiKey !== undefined) return undefined;
  const caller = await sessions.authenticate(request, isUse);
  if (!caller) return undefined;
  if (!mayBeForged(request)) return { caller };
  return {
    refusal: {
      status: 403,
      code: 'forbidden_origin',
      message: 'A request of a signed-in browser must come from a page of this service.',
    },
  };
}

interface KeyCheck {
  readonly keys: readonly KnownKey[];
  readonly directory: CallerDirectory | undefined;
  /** Counts requests with wrong keys. Keys that this process has accepted before are never limited. */
  readonly failures: AddressLimit;
  readonly isKeyNeeded: () => Promise<boolean>;
  /** Whether a request without a key is one of the local user. */
  readonly isLocal: () => Promise<boolean>;
}

async function checkKey(request: FastifyRequest, check: KeyCheck): Promise<Authentication> {
  const { keys, directory, failures } = check;
  const [, bearer] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const presentedKey = bearer ?? request.headers['x-api-key'];
  if (typeof presentedKey === 'string') {
    const sent = digest(presentedKey);
    // All keys are compared, and digests have the same length, so the timing reveals nothing about a key.
    const [known] = keys.filter((key) => timingSafeEqual(key.digest, sent));
    const isStoredKey = known === undefined && parseKeyPrefix(presentedKey) !== undefined;
    // Before the query: an address that guesses keys costs no more than the comparison.
    if (isStoredKey && directory?.hasAccepted(presentedKey) !== true) {
      const blockedSeconds = failures.blockedForSeconds(request.ip);
      if (blockedSeconds !== undefined) return { refusal: createKeyRefusal(blockedSeconds) };
    }
    const caller = known ? createConfiguredCaller(known.name) : await directory?.findCaller(presentedKey);
    if (caller) return { caller };
    if (!isStoredKey && !(await check.isKeyNeeded())) return { caller: undefined };
    return { refusal: createKeyRefusal(failures.add(request.ip)) };
  }
  if (!(await check.isKeyNeeded())) return { caller: (await check.isLocal()) ? localCaller : undefined };
  const message =
    'An API key is required: send "Authorization: Bearer <key>" (phaseline: PHASELINE_API_KEY). An administrator creates one with: phaseline keys create PRINCIPAL';
  return { refusal: { status: 401, code: 'unauthorized', message } };
}

function createKeyRefusal(retryAfterSeconds: number | undefined): Refusal {
  if (retryAfterSeconds === undefined)
    return {
      status: 401,
      code: 'unauthorized',
      message:
        'The API key is not valid: it is unknown, has expired or was revoked. Check the key of your client (PHASELINE_API_KEY).',
    };
  return {
    status: 429,
    code: 'too_many_failures',
    message: `Too many requests of this address had a wrong API key. Try again in ${retryAfterSeconds} s.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

/**
 * Finds a signed-in caller with its present roles: a principal of the database; else the owner of a configured key or, where no keys are
 * required, the user who runs the service. The database takes precedence, so that a principal cannot get the roles of a configured
 * key by having its name. Undefined for a principal that is disabled or no longer known.
 */
export async function findSignedInCaller(
  id: string,
  config: CommonConfig,
  directory: Pick<KeyDirectory, 'findKnown' | 'hasAdministrator'>,
): Promise<Caller | undefined> {
  const stored = await directory.findKnown(id);
  if (stored) return stored.isDisabled ? undefined : asSignedIn(stored);
  const configured = findConfiguredCaller(id, config) ?? (await findLocalCaller(config, directory));
  return configured?.id === id ? asSignedIn(configured) : undefined;
}

/** Returns the owner of a configured key; undefined if no key has the name. */
export function findConfiguredCaller(id: string, { PHASELINE_API_KEYS: keys }: CommonConfig): Caller | undefined {
  return keys.map(parseApiKey).some(({ name }) => name === id) ? createConfiguredCaller(id) : undefined;
}

/** Whether an id is that of the user who runs the service. */
export function isLocalUser(id: string): boolean {
  return id === localCaller.id;
}

function asSignedIn({ id, kind, roles }: Pick<Caller, 'id' | 'kind' | 'roles'>): Caller {
  return { id, kind, roles, authentication: { method: 'session' } };
}

/** Header with the id of the principal for whom the caller acts. */
const ON_BEHALF_OF_HEADER = 'on-behalf-of';

/** Adds the principal for whom the caller acts. An unknown one gets the same response as one for whom the caller may not act. */
async function checkPrincipal(
  request: FastifyRequest,
  authenticated: Caller | undefined,
  directory: Pick<KeyDirectory, 'findPrincipal'> | undefined,
): Promise<Authentication> {
  const id = request.headers[ON_BEHALF_OF_HEADER];
  if (id === undefined) return { caller: authenticated };
  const caller = authenticated ?? localCaller;
  const onBehalfOf = hasRightSomewhere(caller, 'act:on-behalf-of') && (await directory?.findPrincipal(String(id)));
  if (onBehalfOf) return { caller: { ...caller, onBehalfOf } };
  return {
    refusal: {
      status: 403,
      code: 'forbidden',
      message: `${caller.id} may not act on behalf of this principal. It needs the role "delegate", and the principal must exist and be enabled.`,
    },
  };
}

/** A key in PHASELINE_API_KEYS belongs to a service that administers all tenants. */
function createConfiguredCaller(id: string): Caller {
  return {
    ...{ id, kind: 'service', roles: [{ role: 'admin', tenant: ALL_TENANTS }] },
    authentication: { method: 'configured-key' },
  };
}

async function refuse(reply: FastifyReply, { status, code, message, headers = {} }: Refusal): Promise<void> {
  void reply.headers(headers);
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  await reply
    .status(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(createProblemBody(code, status, message)));
}

/** Returns the host name in lower case without the port; undefined if it is missing or malformed. */
function parseHostName(authority: string | undefined): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:/@\s[\]]+)(?::\d{1,5})?$/i.exec(authority ?? '') ?? [];
  return name?.toLowerCase().replace(/^\[|\]$/g, '');
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
