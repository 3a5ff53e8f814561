import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PhaselineClient } from '@phaseline/client';
import { buildProgramEnvironment, startProgram } from '@phaseline/basics/processes';
import type { RunningStack } from './start-stack.js';

/** Returns the address of the dashboard that signs the caller in once, or its plain address where links cannot be created. */
export async function createDashboardLink(
  { apiUrl, apiKey }: Pick<RunningStack, 'apiUrl' | 'apiKey'>,
  signal: AbortSignal,
): Promise<string> {
  const client = new PhaselineClient({ baseUrl: apiUrl, apiKey, retries: 0 });
  return client.createLoginLink({ signal }).then(
    ({ url }) => url,
    () => `${apiUrl}/`,
  );
}

/** Variables that a browser needs to find the display and the session of the user. */
const DESKTOP_VARIABLES = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'HOME',
];

/** Returns the program that opens addresses in the browser of the user; undefined where there is no display. */
export function findOpener(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string | undefined {
  if (env['CI']) return undefined;
  if (platform === 'darwin') return 'open';
  if (platform !== 'linux') return undefined;
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : undefined;
}

/**
 * Opens the dashboard in the browser of the user. Every user of the machine sees the arguments of a program, so the link is in a file
 * that only this user can read. A browser that does not start changes nothing: the link was printed, too.
 */
export async function openInBrowser(link: string, opener: string, homeDirectory: string): Promise<void> {
  const file = join(homeDirectory, 'open-dashboard.html');
  const page = `<!doctype html><meta charset="utf-8"><title>Phaseline</title><meta http-equiv="refresh" content="0; url=${link}">`;
  await writeFile(file, page, { mode: 0o600 });
  const env = buildProgramEnvironment({}, DESKTOP_VARIABLES);
  startProgram(opener, [file], { env, stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
