import { exampleOf, type JsonSchema } from '../event/golden/example-of.fixture.js';
import { allDefinitions, shapeOf } from '../event/golden/golden-files.fixture.js';
import { redactEvent } from './redact-event.js';
import { SEALED_HASH, SEALED_TEXT } from './redactor.js';

/** The page that says what of every event of an encrypted job stays visible, found out by redacting an example of each. */
export function describeSealing(): string {
  return [
    '# What stays visible of encrypted jobs',
    '',
    'Of every event: what may be read without the key, and what may not. This page is generated from the schemas in',
    '`libs/domain`; a test keeps it true (`npx vitest run libs/domain/ -u` writes it anew). What it means:',
    '[encryption.md](encryption.md).',
    '',
    'Visible are numbers, truth values, times, ids, words of a fixed list, and the members named here. Texts in them are',
    'visible only where they look like an identifier; who asked, and an erasure’s reason, always.',
    '',
    '| event | visible | sealed |',
    '|---|---|---|',
    ...allDefinitions.map((definition) => {
      const shape = shapeOf(definition);
      const members = [0, 1, 2].flatMap((variant) => {
        const example = named(exampleOf(shape, variant, false), shape) as Record<string, never>;
        return compare(example, redactEvent(definition.type, example), '');
      });
      return `| \`${definition.type}\` | ${list(members, true)} | ${list(members, false)} |`;
    }),
    '',
  ].join('\n');
}

interface Member {
  readonly path: string;
  readonly visible: boolean;
}

/** The example with a word for every text that may be any, so that what takes identifiers takes it. */
function named(value: unknown, shape: JsonSchema): unknown {
  if (typeof value === 'string') return value.startsWith('text ') || value === '' ? 'word' : value;
  if (Array.isArray(value)) return value.map((item) => named(item, shape));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, named(member, shape)]));
}

const whole = new Set(['agent', 'workflow', 'definition', 'settings']);

function compare(before: unknown, after: unknown, path: string): Member[] {
  const name = path.split('.').at(-1)!;
  if (whole.has(name)) return [{ path, visible: true }];
  if (Array.isArray(before))
    return before.flatMap((item, index) => compare(item, (after as unknown[] | undefined)?.[index], path));
  if (typeof before === 'object' && before !== null) {
    const kept = after as Record<string, unknown> | undefined;
    if (path !== '' && Object.keys(before).length > 0 && Object.keys(kept ?? {}).length === 0)
      return [{ path, visible: false }];
    return Object.entries(before).flatMap(([key, member]) =>
      compare(member, kept?.[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return [{ path, visible: before === after && after !== SEALED_TEXT && after !== SEALED_HASH }];
}

function list(members: readonly Member[], visible: boolean): string {
  const sealed = new Set(members.filter((member) => !member.visible).map(({ path }) => path));
  const paths = members.filter((member) => (visible ? !sealed.has(member.path) : sealed.has(member.path)));
  return [...new Set(paths.map(({ path }) => `\`${path}\``))].join(', ');
}
