import { parseNetworks, Sandbox } from '@phaseline/sandbox';
import type { ReadSecrets } from '@phaseline/tools';
import type { ConnectOptions } from './connect.js';

export interface McpOptions {
  /** Non-public networks in which HTTP servers are allowed, in CIDR notation. Defaults to none. */
  readonly allowedNetworks?: readonly string[];
  /** Contains the servers that are started as processes. Default: what this machine has. */
  readonly sandbox?: Sandbox;
  /** Values for `${NAME}` in the settings. Defaults to the environment of this process. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Reads the secrets that servers use while their tools are listed. */
  readonly readSecrets?: ReadSecrets;
}

/** Creates the connect options. Throws if a network is invalid. */
export function createConnectOptions({
  allowedNetworks = [],
  sandbox,
  variables,
  readSecrets,
}: McpOptions): ConnectOptions {
  const rule = { allowed: parseNetworks(allowedNetworks) };
  return {
    rule,
    sandbox: sandbox ?? new Sandbox({ mode: 'auto' }, rule),
    ...(variables ? { variables } : {}),
    ...(readSecrets ? { readSecrets } : {}),
  };
}
