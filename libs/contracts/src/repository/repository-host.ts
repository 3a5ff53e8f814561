import { z } from 'zod';
import { parseSshAddress } from './repository-request.js';

/** Maximum number of hosts for which a secret is stored. */
const MAX_REPOSITORY_HOSTS = 50;
const HOST = /^(?:[a-z0-9_][a-z0-9._-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::[1-9]\d{0,4})?$/;

/** A host as `getRepositoryHost` returns it. Upper case is accepted. */
const repositoryHostSchema = z
  .string()
  .max(300)
  .transform((text) => text.toLowerCase())
  .pipe(
    z.string().regex(HOST, 'expected a host such as github.com or git.example.org:8443, without a protocol or a path'),
  );

/** Hosts to which repositories may send a secret, without repetitions. */
export const repositoryHostsSchema = z
  .array(repositoryHostSchema)
  .max(MAX_REPOSITORY_HOSTS)
  .transform((hosts) => [...new Set(hosts)].sort());

/**
 * Returns the host to which the credential of a repository is sent, in lower case, with the port if it is not the default of the protocol.
 * `url` is a URL or an ssh address that `repositoryRequestSchema` accepts.
 */
export function getRepositoryHost(url: string): string {
  const server = parseSshAddress(url);
  if (!server) return new URL(url).host;
  const name = (server.host.includes(':') ? `[${server.host}]` : server.host).toLowerCase();
  return server.port === 22 ? name : `${name}:${server.port}`;
}
