import { Link } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { useLiveStatus } from '../live/use-live.js';
import { Badge } from '../ui/badge.js';
import { Page } from '../ui/page.js';
import { Alerts } from './alerts.js';
import { OverviewFigures } from './overview-figures.js';
import { QueueCharts } from './queue-charts.js';
import { QueueTable } from './queue-table.js';
import { TenantSlots } from './tenant-slots.js';
import { Workers } from './workers.js';
import './overview.css';

/** The first screen: the overview, or for a caller that may read no job, why there is nothing to see. */
export default function OverviewScreen() {
  return useRights()('jobs:read') ? <Overview /> : <NothingToSee />;
}

/** What operators look at first: what is wrong, what waits, and who works. Parts that the caller may not see are left out. */
function Overview() {
  const can = useRights();
  const status = useLiveStatus();
  return (
    <Page
      title="Overview"
      badges={
        status === 'live' ? (
          <Badge tone="ok" glyph="●">
            Live
          </Badge>
        ) : (
          <Badge tone="warn" glyph="◌">
            Connecting
          </Badge>
        )
      }
    >
      {can('processes:read') ? <Alerts /> : null}
      <OverviewFigures />
      {can('queues:read') ? (
        <>
          <QueueTable />
          <QueueCharts />
        </>
      ) : null}
      <div className="overview-columns">
        {can('processes:read') ? <Workers /> : null}
        {can('tenants:read') ? <TenantSlots /> : null}
      </div>
    </Page>
  );
}

function NothingToSee() {
  return (
    <Page title="Overview">
      <p>
        You are signed in, but no role of yours contains the right to see jobs. Ask an administrator to grant you one.{' '}
        <Link href="/settings">Your account</Link> lists the rights that you have.
      </p>
    </Page>
  );
}
