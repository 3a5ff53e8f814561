/** Files of the workspace in which a plan is stored. Only planning tools write them; the artifacts are in their canonical JSON. */
export const planPaths = {
  session: 'plan/session.json',
  context: 'plan/context.json',
  outline: 'plan/outline.json',
  roadmap: 'plan/roadmap.json',
  schedule: 'plan/schedule.json',
  /** Why the last roadmap has no schedule. */
  conflict: 'plan/conflict.json',
  /** What the last DependencyResolver checked; RoadmapBuilder uses it if it is given nothing else. */
  dependencies: 'plan/dependencies.json',
  /** Other approved plans of the person, as PortfolioProbe read them; ScheduleGenerator plans around them. */
  portfolio: 'plan/portfolio.json',
  /** Answers of tools, for calls that are repeated. */
  memo: 'plan/memo.json',
  /** The artifacts of an approved plan, for the job or person that asked for it. */
  approved: 'output/plan.json',
  /** The approved plan from which a new session about its goal starts; the server adds it to the job. */
  earlier: 'documents/earlier-plan.json',
  /** How far a plan is carried out. */
  run: 'plan/run.json',
  /** The plan that is carried out. */
  carriedOut: 'plan/plan.json',
} as const;
