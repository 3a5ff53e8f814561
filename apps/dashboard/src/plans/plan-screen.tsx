import type { Plan } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useParams, useSearchParams } from 'wouter';
import { LinkButton } from '../ui/button.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { TabPanel } from '../ui/tab-panel.js';
import { ChangesPanel } from './changes-panel.js';
import { Conversation } from './conversation.js';
import { OutlinePanel } from './outline-panel.js';
import { PlanState } from './plan-state.js';
import { PlanningStatusBadge } from './planning-status.js';
import { RoadmapPanel } from './roadmap-panel.js';
import { SchedulePanel } from './schedule-panel.js';
import { StageRow } from './stage-row.js';
import { TracePanel } from './trace-panel.js';
import { usePlan } from './use-plans.js';
import './plans.css';

/** Characters of the goal that are the title of the page; the conversation begins with the whole goal. */
const TITLE_CHARACTERS = 120;

const tabs = [
  { name: 'schedule', title: 'Schedule' },
  { name: 'roadmap', title: 'Roadmap' },
  { name: 'outline', title: 'Outline' },
  { name: 'changes', title: 'Changes' },
  { name: 'trace', title: 'Trace' },
] as const;
type PanelName = (typeof tabs)[number]['name'];

/** One plan: where it is, what was said, its artifacts, and what it waits for. */
export default function PlanScreen() {
  const { planId } = useParams<{ planId: string }>();
  return <OnePlan key={planId} planId={planId as JobId} />;
}

function OnePlan({ planId }: { readonly planId: JobId }) {
  const plan = usePlan(planId);
  return (
    <Page
      title={plan.data === undefined ? 'Plan' : titleOf(plan.data)}
      badges={plan.data === undefined ? null : <PlanningStatusBadge status={plan.data.planningStatus} />}
      actions={plan.data === undefined ? null : <LinkButton to={`/jobs/${planId}`}>Open the job</LinkButton>}
    >
      <QueryView query={plan}>{(data) => <PlanContent plan={data} />}</QueryView>
    </Page>
  );
}

function PlanContent({ plan }: { readonly plan: Plan }) {
  const [panel, setPanel] = usePanel(plan);
  const panels: Readonly<Record<PanelName, () => React.ReactNode>> = {
    schedule: () => <SchedulePanel plan={plan} />,
    roadmap: () => <RoadmapPanel plan={plan} />,
    outline: () => <OutlinePanel outline={plan.outline} />,
    changes: () => <ChangesPanel adaptations={plan.adaptations} />,
    trace: () => <TracePanel planId={plan.planId} />,
  };
  return (
    <>
      <StageRow plan={plan} />
      <div className="plan-columns">
        <PlanState plan={plan} />
        <Conversation plan={plan} />
      </div>
      <div className="card">
        <TabPanel label="Parts of the plan" tabs={tabs} current={panel} onChange={setPanel}>
          {panels[panel]()}
        </TabPanel>
      </div>
    </>
  );
}

function titleOf({ goal, planId }: Plan): string {
  const line = goal.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return `Plan ${planId.slice(0, 8)}`;
  return line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS)}…` : line;
}

/** The open part, kept in the address. Until a person chooses one, it is the latest artifact that exists. */
function usePanel({ schedule, roadmap, outline }: Plan): readonly [PanelName, (name: PanelName) => void] {
  const [params, setParams] = useSearchParams();
  const given = params.get('panel');
  const latest = schedule ? 'schedule' : roadmap ? 'roadmap' : outline ? 'outline' : 'trace';
  const current = tabs.find(({ name }) => name === given)?.name ?? latest;
  const change = (name: PanelName): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.set('panel', name);
        return after;
      },
      { replace: true },
    );
  return [current, change];
}
