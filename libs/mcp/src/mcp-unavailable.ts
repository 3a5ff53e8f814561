/** An MCP server of an agent could not list its tools. */
export class McpUnavailable extends Error {
  override readonly name = 'McpUnavailable';
  readonly code = 'mcp_unavailable';
  constructor(
    readonly server: string,
    problem: string,
  ) {
    super(
      `the MCP server ${server} did not list its tools: ${problem.replace(/\.?$/, '.')} Check its settings, or try again`,
    );
  }
}
