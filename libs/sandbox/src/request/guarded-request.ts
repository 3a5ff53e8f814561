import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type BlockList, type LookupFunction } from 'node:net';
import { ToolError } from '@phaseline/contracts';
import { isAddressAllowed } from './addresses.js';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface AddressRule {
  /** Non-public networks that may be reached; `any` for a server that an operator configured. */
  readonly allowed: BlockList | 'any';
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Sends one HTTP request without following redirects. The host name is resolved once, all its addresses are checked, and the
 * connection goes to one of them, so that DNS rebinding has no effect. Host header and TLS server name keep the host name.
 *
 * Throws ToolError `bad_url`, `private_address`, `unreachable`, and the reason of the signal when it is aborted.
 */
export async function sendGuardedRequest(
  url: URL,
  rule: AddressRule,
  request: GuardedRequest,
): Promise<IncomingMessage> {
  checkUrl(url, rule);
  const { method = 'GET', headers = {}, body, signal } = request;
  signal.throwIfAborted();
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    // A reused connection could have been opened with other allowed networks.
    agent: false,
    lookup: createGuardedLookup(rule),
    signal,
  };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = send(url, options, resolve);
    sent.on('error', (cause) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (cause instanceof ToolError) reject(cause);
      else
        reject(
          new ToolError('unreachable', `${url.host} could not be reached: ${describeCause(cause)}.`, {
            retryable: true,
            cause,
          }),
        );
    });
    sent.end(body);
  });
}

/** Checks a URL without resolving its host name. Throws ToolError when it must not be requested. */
export function checkUrl(url: URL, rule: AddressRule): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError('bad_url', `Only http and https URLs can be requested, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError('bad_url', 'URLs with a user name or password are not requested. Remove them.');
  // The URL parser has already normalised all spellings of an IPv4 address: decimal, octal, hexadecimal, short.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !canReach(host, rule)) throw buildPrivateAddressError(url.hostname, host);
}

function canReach(address: string, { allowed }: AddressRule): boolean {
  return allowed === 'any' || isAddressAllowed(address, allowed);
}

/** Creates a `lookup` for connections that checks all addresses of a name. */
export function createGuardedLookup(rule: AddressRule): LookupFunction {
  const { resolve = resolveBySystem } = rule;
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        const bad = found.find(({ address }) => !canReach(address, rule));
        if (bad) callback(buildPrivateAddressError(hostname, bad.address), '', 0);
        else if (!first) callback(new Error('the host name has no address'), '', 0);
        // All addresses passed the check, so the connection may use any.
        else if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, '', 0),
    );
  };
}

function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

function buildPrivateAddressError(host: string, address: string): ToolError {
  return new ToolError(
    'private_address',
    `${host} is not on the public internet (${address}), so it was not requested. Use another source. Only an operator can allow a network.`,
  );
}

function describeCause(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name was not found';
  return code ?? message ?? String(error);
}
