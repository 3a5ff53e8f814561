import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type BlockList, type LookupFunction } from 'node:net';
import { ToolError } from '../tool-error.js';
import { isIn, isPublic } from './addresses.js';

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface AddressRule {
  /** Networks that may be reached although they are not public; `any` for a server that an operator named. */
  readonly allowed: BlockList | 'any';
  /** The system's resolver where it is missing. */
  readonly resolve?: Resolve;
}

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * One HTTP request, without following redirects. The name is looked up once, every address that it has is judged, and the
 * connection goes to one of those: what the name stands for later changes nothing. Host header and TLS name stay the name.
 *
 * Throws ToolError `bad_url`, `private_address`, `unreachable`, and the reason of the signal.
 */
export async function guardedRequest(url: URL, rule: AddressRule, request: GuardedRequest): Promise<IncomingMessage> {
  checkUrl(url, rule);
  const { method = 'GET', headers = {}, body, signal } = request;
  signal.throwIfAborted();
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    // A kept connection could be one that was made for another rule.
    agent: false,
    lookup: guardedLookup(rule),
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
          new ToolError('unreachable', `${url.host} could not be reached: ${wordsOf(cause)}.`, {
            retryable: true,
            cause,
          }),
        );
    });
    sent.end(body);
  });
}

/** Throws ToolError where a URL may not be asked for by what it says alone. */
export function checkUrl(url: URL, rule: AddressRule): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError('bad_url', `Only http and https addresses can be asked for, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError('bad_url', 'An address with a user name or password in it is not asked for. Leave them out.');
  // The URL parser has made one spelling of all that stand for an IPv4 address: decimal, octal, hexadecimal, short.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host, rule)) throw refused(url.hostname, host);
}

function mayReach(address: string, { allowed }: AddressRule): boolean {
  return allowed === 'any' || isPublic(address) || isIn(allowed, address);
}

function guardedLookup(rule: AddressRule): LookupFunction {
  const { resolve = systemResolve } = rule;
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        const bad = found.find(({ address }) => !mayReach(address, rule));
        if (bad) callback(refused(hostname, bad.address), '', 0);
        else if (!first) callback(new Error('the name has no address'), '', 0);
        // All of them are good, so the connection may choose.
        else if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, '', 0),
    );
  };
}

function systemResolve(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

function refused(host: string, address: string): ToolError {
  return new ToolError(
    'private_address',
    `${host} is not on the public internet (${address}), and such addresses are not asked for. Use another source; only an operator can allow a network.`,
  );
}

function wordsOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name was not found';
  return code ?? message ?? String(error);
}
