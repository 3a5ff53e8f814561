// Makes git run the hooks in scripts/hooks. `npm install` calls this, so it never fails: a container image or an archive has no git
// checkout, a clone in CI commits nothing, and existing hooks are kept.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

function isOwnCheckout() {
  try {
    return realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(root);
  } catch {
    return false;
  }
}

function getHooksPath() {
  try {
    return git('config', 'core.hooksPath');
  } catch {
    return '';
  }
}

if (!process.env.CI && isOwnCheckout() && getHooksPath() === '') {
  try {
    git('config', 'core.hooksPath', 'scripts/hooks');
  } catch {
    process.stderr.write('git hooks are not installed: run `git config core.hooksPath scripts/hooks`\n');
  }
}
