/** A server that an agent names did not say which tools it has. */
export class McpUnavailable extends Error {
  override readonly name = 'McpUnavailable';
  readonly code = 'mcp_unavailable';
  constructor(
    readonly server: string,
    problem: string,
  ) {
    super(
      `the MCP server ${server} did not give its tools: ${problem.replace(/\.?$/, '.')} Check its settings, or try again`,
    );
  }
}
