import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  agentDetailSchema,
  agentListSchema,
  agentValidationSchema,
  validateAgentRequestSchema,
  type AgentDetail,
  type AgentList,
  type AgentValidation,
  type ValidateAgentRequest,
} from '@phaseline/client';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
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

  @Get(':agent')
  @ApiOperation({
    operationId: 'getAgent',
    summary: 'An agent as new jobs get it: definition, instructions, and problems of its files',
  })
  @ApiParam({ name: 'agent' })
  @ApiOkResponse({ standardSchema: agentDetailSchema })
  @ApiProblems('unknown_agent')
  async get(@Param('agent') name: string): Promise<AgentDetail> {
    await this.agents.refresh();
    return this.agents.describe(name);
  }

  @Post('validate')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'validateAgent',
    summary: 'Check the files of an agent against the tools, workflows, models and agents of the server',
    description: 'Nothing is stored, and nothing in the files runs.',
  })
  @ApiOkResponse({ standardSchema: agentValidationSchema })
  @ApiProblems('invalid_request')
  validate(@Body({ schema: validateAgentRequestSchema }) request: ValidateAgentRequest): Promise<AgentValidation> {
    return this.agents.validate(request);
  }
}
