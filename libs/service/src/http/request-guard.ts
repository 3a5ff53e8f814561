import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CommonConfig } from '../config/service-config.js';
import { LOCAL_ACTOR, parseApiKey } from './api-keys.js';
import { PROBLEM_TYPE, problemBody, type ServiceProblemCode } from './problem-body.js';
import { isLoopback } from './loopback.js';

/** Probes and scrapes come from the inside, by address and without keys; they tell no content of any job. */
const probes: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

interface Refusal {
  readonly status: number;
  readonly code: ServiceProblemCode;
  readonly message: string;
}

interface KnownKey {
  readonly name: string;
  readonly digest: Buffer;
}

const actors = new WeakMap<object, string>();

/** Id of the actor that a request comes from: the name of its API key, `local` where none is asked for. */
export function actorIdOf(request: Pick<FastifyRequest, 'raw'>): string {
  return actors.get(request.raw) ?? LOCAL_ACTOR;
}

/**
 * Refuses, before anything else runs, what a page in somebody's browser could send to a service on this machine: requests
 * under a foreign name (DNS rebinding) or from a foreign origin; and requests without a valid key where keys are set. A service that
 * other machines can reach and that has no keys answers probes only.
 */
export function guardRequests(http: FastifyInstance, config: CommonConfig): void {
  const keys = config.PHASELINE_API_KEYS.map(parseApiKey).map(({ name, key }) => ({ name, digest: digest(key) }));
  const names = new Set([...config.PHASELINE_ALLOWED_HOSTS, config.PHASELINE_HOST].map((name) => name.toLowerCase()));
  const origins = new Set(config.PHASELINE_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()));
  const known = (host: string): boolean => isLoopback(host) || names.has(host);
  const open = !isLoopback(config.PHASELINE_HOST);

  http.addHook('onRequest', async (request, reply) => {
    const probe = probes.has(pathOf(request));
    const refusal =
      (probe && open ? undefined : foreignHost(request, known)) ??
      foreignOrigin(request, known, origins) ??
      (probe || (keys.length === 0 && !open) ? undefined : missingKey(request, keys));
    if (refusal) await refuse(reply, refusal);
  });
}

function foreignHost(request: FastifyRequest, known: (host: string) => boolean): Refusal | undefined {
  const host = hostName(request.headers.host);
  if (host !== undefined && known(host)) return undefined;
  return {
    status: 403,
    code: 'forbidden_host',
    message: 'This host name is not served here. If it should be, add it to PHASELINE_ALLOWED_HOSTS.',
  };
}

function foreignOrigin(
  request: FastifyRequest,
  known: (host: string) => boolean,
  origins: ReadonlySet<string>,
): Refusal | undefined {
  const origin = request.headers.origin?.toLowerCase();
  if (origin === undefined || origins.has(origin)) return undefined;
  // A page that this service itself served: the same host and port, under a name that is ours.
  const [, authority] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  const host = hostName(authority);
  if (authority === request.headers.host?.toLowerCase() && host !== undefined && known(host)) return undefined;
  return {
    status: 403,
    code: 'forbidden_origin',
    message: 'Web pages of this origin may not call this service. If they should, add it to PHASELINE_ALLOWED_ORIGINS.',
  };
}

function missingKey(request: FastifyRequest, keys: readonly KnownKey[]): Refusal | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const given = bearer ?? request.headers['x-api-key'];
  if (typeof given === 'string') {
    const sent = digest(given);
    // All are compared, and digests have one length: the time taken tells nothing about a key.
    const [known] = keys.filter((key) => timingSafeEqual(key.digest, sent));
    if (known) {
      actors.set(request.raw, known.name);
      return undefined;
    }
    return {
      status: 401,
      code: 'unauthorized',
      message: 'This API key is not known here. Check the key of your client (PHASELINE_API_KEY).',
    };
  }
  return { status: 401, code: 'unauthorized', message: 'An API key is needed: send "Authorization: Bearer <key>".' };
}

async function refuse(reply: FastifyReply, { status, code, message }: Refusal): Promise<void> {
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  await reply
    .status(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(code, status, message)));
}

/** The name without the port, in lower case; undefined when there is none or it is malformed. */
function hostName(authority: string | undefined): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:/@\s[\]]+)(?::\d{1,5})?$/i.exec(authority ?? '') ?? [];
  return name?.toLowerCase().replace(/^\[|\]$/g, '');
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
