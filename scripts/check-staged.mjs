// Formats the staged files and lints the staged TypeScript. A file with changes that are not staged is checked but not rewritten, because
// staging it again would commit those changes as well.
import { execFileSync, spawnSync } from 'node:child_process';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' });
const listFiles = (...args) =>
  git('diff', '--name-only', '--diff-filter=ACMR', '-z', ...args)
    .split('\0')
    .filter(Boolean);
const run = (command, args) => spawnSync(command, args, { stdio: 'inherit' }).status === 0;

const staged = listFiles('--cached');
const unstaged = new Set(listFiles());
const whole = staged.filter((file) => !unstaged.has(file));
const partial = staged.filter((file) => unstaged.has(file));
const lintable = staged.filter((file) => /\.ts$|(^|\/)package\.json$/.test(file));

const prettier = (option, files) =>
  files.length === 0 || run('prettier', [option, '--log-level=warn', '--ignore-unknown', ...files]);

const isFormatted = prettier('--write', whole) && prettier('--check', partial);
if (isFormatted && whole.length > 0) git('add', '--', ...whole);
// Without this graph eslint skips the rule on imports between projects.
const hasGraph = lintable.length === 0 || spawnSync('nx', ['show', 'projects'], { stdio: 'ignore' }).status === 0;
const isClean = lintable.length === 0 || run('eslint', ['--no-warn-ignored', '--max-warnings=0', ...lintable]);
if (!isFormatted || !hasGraph || !isClean) {
  process.stderr.write(
    'Nothing was committed. Fix what is listed above, or skip the hook with `git commit --no-verify`.\n',
  );
  process.exit(1);
}
