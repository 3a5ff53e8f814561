/** One service process to run. */
export interface ServiceSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing of this process's own is added but PHASELINE_PARENT_WATCH. */
  readonly env: NodeJS.ProcessEnv;
  /** Answers 200 when the service can work, such as `http://127.0.0.1:7403/ready`. */
  readonly healthUrl: string;
  readonly cwd?: string | undefined;
}

/** What happens to a service, for whoever shows or logs it. */
export type ServiceEvent =
  | { readonly type: 'started' | 'ready'; readonly service: string; readonly pid: number }
  /** It is not ready yet, but its work moves. Told every few seconds. */
  | { readonly type: 'catching-up'; readonly service: string; readonly pid: number; readonly message: string }
  | {
      readonly type: 'died';
      readonly service: string;
      readonly pid: number;
      readonly how: string;
      readonly restartInMs: number;
    }
  | { readonly type: 'gave-up'; readonly service: string; readonly error: Error };
