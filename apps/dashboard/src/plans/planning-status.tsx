import { Badge, type Tone } from '../ui/badge.js';

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

/** Writes a name of the API, such as `milestone_project`, as words. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}
