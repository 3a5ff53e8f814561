/** Describes a service process to run. */
export interface ServiceSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Complete environment of the service. Only PHASELINE_STOP_ON_STDIN_END is added. */
  readonly env: NodeJS.ProcessEnv;
  /** URL that responds with 200 when the service is ready, such as `http://127.0.0.1:7403/ready`. */
  readonly healthUrl: string;
  readonly cwd?: string | undefined;
}

/** Life cycle event of a service, for display and logs. */
export type ServiceEvent =
  | { readonly type: 'started' | 'ready'; readonly service: string; readonly pid: number }
  /** The service is not ready yet but makes progress. Emitted every few seconds. */
  | { readonly type: 'catching-up'; readonly service: string; readonly pid: number; readonly message: string }
  | {
      readonly type: 'died';
      readonly service: string;
      readonly pid: number;
      readonly how: string;
      readonly restartInMs: number;
    }
  | { readonly type: 'gave-up'; readonly service: string; readonly error: Error };
