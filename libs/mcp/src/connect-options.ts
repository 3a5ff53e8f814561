import { parseNetworks } from '@phaseline/sandbox';
import type { ReadSecrets } from '@phaseline/tools';
import type { ConnectOptions } from './connect.js';

export interface McpOptions {
  /** Non-public networks in which HTTP servers are allowed, in CIDR notation. Defaults to none. */
  readonly allowedNetworks?: readonly string[];
  /** Values for `${NAME}` in the settings. Defaults to the environment of this process. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Reads the secrets that servers use while their tools are listed. */
  readonly readSecrets?: ReadSecrets;
}

/** Creates the connect options. Throws if a network is invalid. */
export function createConnectOptions({ allowedNetworks = [], variables, readSecrets }: McpOptions): ConnectOptions {
  return {
    rule: { allowed: parseNetworks(allowedNetworks) },
    ...(variables ? { variables } : {}),
    ...(readSecrets ? { readSecrets } : {}),
  };
}
