/** A tool call: name and arguments. */
export type Call = readonly [name: string, args?: object];
/** The calls of one answer. */
export type Answer = readonly Call[];

export const writeFile = (path: string, content: string): Call => ['write_file', { path, content }];
export const readFile = (path: string): Call => ['read_file', { path }];
export const completeTodo = (notes?: string): Call => ['todo_complete', notes === undefined ? {} : { notes }];
export const runNode = (...args: readonly string[]): Call => ['run_command', { program: 'node', args }];
export const runScript = (code: string): Call => ['run_script', { code }];
export const renderJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
