import { Badge, type Tone } from '../ui/badge.js';
import { toWords } from '../ui/format.js';

const looks: Readonly<Record<string, readonly [Tone, string]>> = {
  in_progress: ['accent', '●'],
  complete: ['ok', '✓'],
  needs_clarification: ['warn', '?'],
  needs_scheduling_escalation: ['warn', '!'],
  aborted: ['bad', '✕'],
};

/** Where a plan is. Newer servers may have statuses that are unknown here. */
export function PlanningStatusBadge({ status }: { readonly status: string }) {
  const [tone, glyph] = looks[status] ?? (['neutral', '○'] as const);
  return (
    <Badge tone={tone} glyph={glyph}>
      {toWords(status)}
    </Badge>
  );
}
