import { useRights } from '../api/use-rights.js';
import { HoldsCard } from './holds-card.js';
import { RetentionCard } from './retention-card.js';

/** How long files are kept, and which jobs are kept in any case. */
export function RetentionTab() {
  const can = useRights();
  return (
    <div className="stack">
      {can('retention:manage') ? <RetentionCard /> : null}
      {can('holds:manage') ? <HoldsCard /> : null}
    </div>
  );
}
