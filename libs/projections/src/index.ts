export { evolveJobView, foldJobView, jobViewTypes, viewChange } from './jobs/evolve-job-view.js';
export type { ViewChange } from './jobs/evolve-job-view.js';
export type { Queryable } from './jobs/job-rows.js';
export { currentTool } from './jobs/job-view.js';
export type { JobView, JobViewStatus, OpenCall, PhaseView } from './jobs/job-view.js';
export { JobViews } from './jobs/job-views.js';
export type { JobFilter, JobListPage } from './jobs/job-views.js';
export { jobsProjection } from './jobs/jobs-projection.js';
export { projectJobs } from './jobs/project-jobs.js';
