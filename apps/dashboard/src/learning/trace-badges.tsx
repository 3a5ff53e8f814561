import type { LearningTraceRecord } from '@phaseline/client';
import { Badge } from '../ui/badge.js';

/** Names of the agents that may read a learning trace, within its tenant. */
export const readers = {
  job: 'agents of its job',
  project: 'agents of its project',
  universal: 'every agent',
} as const;

const typeLooks = { violation: ['bad', '✕'], approval: ['ok', '✓'], decision: ['neutral', '◆'] } as const;

/** What kind of learning trace it is. */
export function TypeBadge({ type }: Pick<LearningTraceRecord, 'type'>) {
  const [tone, glyph] = typeLooks[type];
  return (
    <Badge tone={tone} glyph={glyph}>
      {type}
    </Badge>
  );
}

/** Which agents may read a learning trace. One that others than those of its job may read was promoted by a person. */
export function ScopeBadge({ scope }: Pick<LearningTraceRecord, 'scope'>) {
  return (
    <Badge tone={scope === 'job' ? 'neutral' : 'accent'} glyph={scope === 'job' ? '○' : '●'}>
      {readers[scope]}
    </Badge>
  );
}
