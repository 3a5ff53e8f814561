import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { agentListSchema, type AgentList } from '@phaseline/client';
import { Requires } from '../access/requires.js';
import { AGENTS, type Agents } from './load-agents.js';

@ApiTags('agents')
@Requires('agents:read')
@Controller('v1/agents')
export class AgentsController {
  constructor(@Inject(AGENTS) private readonly agents: Agents) {}

  @Get()
  @ApiOperation({ operationId: 'listAgents', summary: 'The agents that jobs can be submitted to' })
  @ApiOkResponse({ standardSchema: agentListSchema })
  async list(): Promise<AgentList> {
    await this.agents.refresh();
    return this.agents.list();
  }
}
