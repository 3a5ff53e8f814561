import { generateExample, type JsonSchema } from '../event/golden/generate-example.fixture.js';
import { jobAndPhaseDefinitions, getShape } from '../event/golden/golden-files.fixture.js';
import { redactEvent } from './redact-event.js';
import { REDACTED_HASH, REDACTED_TEXT } from './redactor.js';

/** Renders the page that lists which members of each event stay visible for encrypted jobs, by redacting examples. */
export function describeVisibleMembers(): string {
  return [
    '# What stays visible of encrypted jobs',
    '',
    'For every event: which members can be read without the key, and which cannot. This page is generated from the schemas in',
    '`libs/domain`, and a test checks it. To regenerate it, run `npx vitest run libs/domain/ -u`. Background:',
    '[encryption.md](../concepts/encryption.md).',
    '',
    'Numbers, booleans, times, ids, values of a fixed list and the members named as visible can be read. Texts in them are',
    'visible only if they look like an identifier. The actor and the reason of an erasure are always visible.',
    '',
    '| event | visible | encrypted |',
    '|---|---|---|',
    ...jobAndPhaseDefinitions.map((definition) => {
      const shape = getShape(definition);
      const members = [0, 1, 2].flatMap((variant) => {
        const example = replaceFreeTexts(generateExample(shape, variant, false), shape) as Record<string, never>;
        return compareMembers(example, redactEvent(definition.type, example), '');
      });
      return `| \`${definition.type}\` | ${listPaths(members, true)} | ${listPaths(members, false)} |`;
    }),
    '',
  ].join('\n');
}

interface Member {
  readonly path: string;
  readonly visible: boolean;
}

/** The example with a single word for every free text, so that members for identifiers accept it. */
function replaceFreeTexts(value: unknown, shape: JsonSchema): unknown {
  if (typeof value === 'string') return value.startsWith('text ') || value === '' ? 'word' : value;
  if (Array.isArray(value)) return value.map((item) => replaceFreeTexts(item, shape));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaceFreeTexts(member, shape)]));
}

const VISIBLE_MEMBERS = new Set(['agent', 'workflow', 'definition', 'settings']);

function compareMembers(before: unknown, after: unknown, path: string): Member[] {
  const name = path.split('.').at(-1)!;
  if (VISIBLE_MEMBERS.has(name)) return [{ path, visible: true }];
  if (Array.isArray(before))
    return before.flatMap((item, index) => compareMembers(item, (after as unknown[] | undefined)?.[index], path));
  if (typeof before === 'object' && before !== null) {
    const kept = after as Record<string, unknown> | undefined;
    if (path !== '' && Object.keys(before).length > 0 && Object.keys(kept ?? {}).length === 0)
      return [{ path, visible: false }];
    return Object.entries(before).flatMap(([key, member]) =>
      compareMembers(member, kept?.[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return [{ path, visible: before === after && after !== REDACTED_TEXT && after !== REDACTED_HASH }];
}

function listPaths(members: readonly Member[], visible: boolean): string {
  const hidden = new Set(members.filter((member) => !member.visible).map(({ path }) => path));
  const paths = members.filter((member) => (visible ? !hidden.has(member.path) : hidden.has(member.path)));
  return [...new Set(paths.map(({ path }) => `\`${path}\``))].join(', ');
}
