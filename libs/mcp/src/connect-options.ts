import { parseNetworks } from '@phaseline/sandbox';
import type { ConnectOptions } from './connect.js';

export interface McpOptions {
  /** Non-public networks in which HTTP servers are allowed, in CIDR notation. Defaults to none. */
  readonly allowedNetworks?: readonly string[];
  /** Values for `${NAME}` in the settings. Defaults to the environment of this process. */
  readonly variables?: NodeJS.ProcessEnv;
}

/** Creates the connect options. Throws if a network is invalid. */
export function createConnectOptions({ allowedNetworks = [], variables }: McpOptions): ConnectOptions {
  return { rule: { allowed: parseNetworks(allowedNetworks) }, ...(variables ? { variables } : {}) };
}
