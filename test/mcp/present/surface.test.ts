import { describe, expect, it } from 'vitest';
import type { Scope } from '#src/contracts/scopes.ts';
import { errorCodes, type ErrorCode } from '#src/contracts/error-codes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { toolDefinition } from '#mcp/present/definition.ts';
import { hintFor } from '#mcp/present/error-hints.ts';
import { fullView } from '#mcp/view.ts';
import { instructions } from '#mcp/instructions.ts';
import { allows } from '#mcp/rights.ts';
import { shownTools } from '#mcp/surface.ts';
import { toolCalls } from '#scripts/gen/tool-calls.ts';

const mcpTools = Object.values(shownTools).flat();
const definitions = mcpTools.map(toolDefinition);

function principalWith(...scopes: Scope[]): Principal {
  return {
    kind: 'service-key',
    keyId: 'key_1',
    actorId: 'key_1',
    actorName: 'test',
    session: null,
    organizationId: 'org_1',
    projectIds: ['prj_1'],
    scopes: new Set(scopes),
    agentGraphId: null,
  };
}
const namesFor = (...scopes: Scope[]): string[] =>
  mcpTools
    .filter((tool) =>
      allows({ principal: principalWith(...scopes), requestId: '', view: fullView, ip: null }, tool.scope),
    )
    .map((tool) => tool.name);

/** Every schema inside a schema. */
function* nodes(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const child of Object.values(value)) yield* nodes(child);
}

describe('what MCP shows', () => {
  it.each(definitions)('$name is pinned', async (definition) => {
    await expect(`${JSON.stringify(definition, null, 2)}\n`).toMatchFileSnapshot(
      `../../pins/mcp/${definition.name}.json`,
    );
  });

  it('is at most 12,000 tokens', () => {
    expect(Buffer.byteLength(JSON.stringify({ tools: definitions })) / 4).toBeLessThanOrEqual(12_000);
  });

  it('has a description for every tool, and names of verb_noun form', () => {
    for (const { name, description } of definitions) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
      expect(description.length).toBeGreaterThan(20);
    }
  });

  it.each(definitions)(
    '$name has schemas rooted in a plain object, without references',
    ({ name, inputSchema, outputSchema }) => {
      // A popular client shows structured content in place of a picture where a schema declares it.
      expect(outputSchema === undefined).toBe(name === 'view_document_image');
      for (const schema of outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema]) {
        expect(schema.type).toBe('object');
        expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(['oneOf']));
        for (const node of nodes(schema)) expect(node).not.toHaveProperty('$ref');
      }
    },
  );

  it('shows numbers of query strings as the numbers agents send, with their defaults', () => {
    const list = definitions.find(({ name }) => name === 'list_documents');
    expect(list?.inputSchema['properties']).toMatchObject({
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      apiKeyBound: { type: 'boolean' },
    });
  });

  it('shows the order, the key, the count and the facets of a list of documents', () => {
    const list = definitions.find(({ name }) => name === 'list_documents');
    expect(list?.inputSchema['properties']).toMatchObject({
      apiKeyId: { type: 'string' },
      sort: { enum: ['created', 'name', 'size', 'confidence'] },
      order: { enum: ['asc', 'desc'] },
      total: { type: 'boolean' },
      facets: { type: 'array' },
    });
    expect(list?.outputSchema?.['properties']).toMatchObject({ total: { type: 'object' }, facets: { type: 'object' } });
  });

  it('counts what starts or takes much work against the smaller rate, as REST does', () => {
    expect(mcpTools.filter(({ expensive }) => expensive === true).map(({ name }) => name)).toEqual([
      'validate_workflow',
      'test_node',
      'diff_workflow_versions',
      'run_workflow',
      'replay_execution',
      'ask_documents',
      'save_dataset',
      'run_experiment',
      'improve_workflow',
    ]);
  });

  it('is only what the scopes of the principal allow', () => {
    expect(namesFor()).toEqual(['get_context']);
    expect(namesFor('documents:read')).toEqual([
      'get_context',
      'list_documents',
      'search_documents',
      'find_similar_documents',
      'get_document',
      'read_document_text',
      'view_document_image',
      'ask_documents',
      'query_records',
      'list_record_types',
    ]);
    expect(namesFor('workflows:read')).toEqual([
      'get_context',
      'list_workflows',
      'get_workflow',
      'describe_node_types',
      'validate_workflow',
      'list_workflow_versions',
      'diff_workflow_versions',
    ]);
    expect(namesFor('runs:read')).toEqual(['get_context', 'get_run', 'list_runs', 'get_dataset', 'get_experiment']);
    expect(namesFor('workflows:write')).not.toContain('publish_workflow');
    expect(namesFor('runs:execute', 'documents:write')).toContain('run_workflow');
    expect(namesFor('keys:manage')).toEqual(['get_context', 'list_api_keys', 'create_api_key', 'revoke_api_key']);
  });
});

describe('what the documentation says of tools', () => {
  it('has a call for each, and each is taken', () => {
    expect(Object.keys(toolCalls)).toEqual(mcpTools.map(({ name }) => name));
    for (const { name, input } of mcpTools)
      expect(input.safeParse(toolCalls[name]?.example).error, name).toBeUndefined();
  });
});

describe('what agents are told', () => {
  it('instructions have at most 2,000 characters and name tools that exist', () => {
    expect(instructions.length).toBeLessThanOrEqual(2_000);
    const names = new Set(mcpTools.map((tool) => tool.name));
    for (const [name] of instructions.matchAll(
      /\b(?:get|find|list|search|read|view|ask|run|upload|create|update|publish|describe|diff|restore|delete|cancel|resume|replay|revoke|set|query|correct|save)_[a-z_]+/g,
    ))
      expect(names).toContain(name);
  });

  it.each(Object.keys(errorCodes) as ErrorCode[])('%s comes with a hint that names tools that exist', (code) => {
    const hint = hintFor(new AppError(code, 'Told.'), 'get_run');
    const names = new Set(mcpTools.map((tool) => tool.name));
    expect(hint).toMatch(/\.$/);
    for (const [name] of hint.matchAll(
      /\b(?:get|find|list|search|read|view|ask|run|upload|create|update|publish|describe|diff|restore|delete|cancel|resume|replay|revoke|set|query|correct|save)_[a-z_]+/g,
    ))
      expect(names).toContain(name);
  });
});
