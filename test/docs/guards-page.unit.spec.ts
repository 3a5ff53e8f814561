import {
  guardFileSchemas,
  guardSetSchemas,
  pointEffects,
  ruleActionSchemas,
  ruleConditionSchemas,
  ruleFileSchema,
} from '@phaseline/domain';
import { expect, it } from 'vitest';
import type { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

function renderMembers(shape: Shape): readonly string[] {
  return [
    '| name | meaning |',
    '|---|---|',
    ...Object.entries(shape).map(([name, { description = '' }]) => `| \`${name}\` | ${description} |`),
  ];
}

function renderPage(): string {
  return [
    '# Guards',
    '',
    'What a guard file may contain. [Guard what an agent does](../how-to/guards.md) shows how guards are written. This page is generated from the',
    'schemas; `npx vitest run test/docs/guards-page.unit.spec.ts -u` updates it.',
    '',
    '## Members of `guards/NAME.yaml`',
    '',
    ...renderMembers(guardFileSchemas),
    '',
    '## Conditions under `when`',
    '',
    'All conditions must hold. A value is compared with the value itself, with a list, or with operators: `equals`, `startsWith`, `matches` (RE2),',
    '`glob`, `in`, `lt`, `gt` and `exists`. `all` and `any` take lists of conditions, and `not` takes conditions.',
    '',
    ...renderMembers(ruleConditionSchemas),
    '',
    '### Members of `file`',
    '',
    ...renderMembers(ruleFileSchema.shape),
    '',
    '## Actions under `then`',
    '',
    ...Object.entries(ruleActionSchemas).flatMap(([name, { shape }]) => [
      `### ${name}`,
      '',
      ...renderMembers(shape),
      '',
    ]),
    '## Placeholders',
    '',
    '`{agent}`, `{state}`, `{phaseKind}`, `{tool}` and `{args.NAME}` may be used in reasons, suggestions, contexts, paths of `file` and new values of',
    'arguments. `{args.path|basename}` and `{args.path|dirname}` are the parts of a path.',
    '',
    '## Hook points',
    '',
    '| point | what a guard may do |',
    '|---|---|',
    ...Object.entries(pointEffects).map(
      ([point, effects]) => `| \`${point}\` | ${effects.length > 0 ? effects.join(', ') : 'observe'} |`,
    ),
    '',
    'Rules, scripts and hooks are asked at these points. At `SessionEnd` and `Notification` there is nothing to decide, so only hooks are told. A',
    'script that decides something that its point does not allow has failed: it refuses where that is possible. A refusal at `TaskCompleted`, `Stop`',
    'and `SubagentStop` is a refused claim, and counts to the limit of refusals.',
    'At `PermissionRequest`, a script or a hook can also allow: the call then needs no person, unless a guard of a higher scope demands the approval.',
    'At `PostToolUse`, `amend` gives the text `content`, which replaces what the model reads.',
    '',
    '## Members of guard-set.yaml',
    '',
    '[Imported hooks](../how-to/import-hooks.md) are in a folder of their own below `guards`, which this file describes.',
    '',
    ...renderMembers(guardSetSchemas),
    '',
  ].join('\n');
}

it('the page of guards matches the schemas', async () => {
  await expect(renderPage()).toMatchFileSnapshot('../../docs/reference/guards.md');
});
