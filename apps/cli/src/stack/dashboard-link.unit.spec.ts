import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findOpener, openInBrowser } from './dashboard-link.js';

it('opens a browser only where there is a display, and never in CI', () => {
  expect(findOpener({ DISPLAY: ':0' }, 'linux')).toBe('xdg-open');
  expect(findOpener({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe('xdg-open');
  expect(findOpener({}, 'darwin')).toBe('open');
  for (const [env, platform] of [
    [{}, 'linux'],
    [{ DISPLAY: '' }, 'linux'],
    [{ DISPLAY: ':0', CI: 'true' }, 'linux'],
    [{ CI: '1' }, 'darwin'],
    [{}, 'freebsd'],
  ] as const)
    expect(findOpener(env, platform)).toBeUndefined();
});

it('passes the link in a file that only the user can read, not as an argument', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-open-'));
  try {
    const opener = join(folder, 'opener');
    const link = 'http://127.0.0.1:7070/login#secret';
    await writeFile(
      opener,
      `#!/bin/sh\nprintf '%s' "$*" > ${folder}/arguments.part && mv ${folder}/arguments.part ${folder}/arguments\n`,
    );
    await chmod(opener, 0o755);
    await openInBrowser(link, opener, folder);
    const page = join(folder, 'open-dashboard.html');
    await expect.poll(() => readFile(join(folder, 'arguments'), 'utf8').catch(() => '')).toBe(page);
    expect(await readFile(page, 'utf8')).toContain(link);
    expect((await stat(page)).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
