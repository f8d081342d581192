import type { ContentBlock } from '@modelcontextprotocol/server';
import type { ObjectSchema } from '#mcp/present/schema.ts';
import type { McpTool } from '#mcp/tool.ts';
import { fixture, png, text, wav } from './fixture.ts';

const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };

function embedded(uri: string, mimeType: string, value: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}

function answering(name: string, description: string, ...content: ContentBlock[]): McpTool {
  return fixture(name, { description }, () => ({ content }));
}

/** Keywords that a careless conversion of schemas drops. */
const everyKeyword: ObjectSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const mirrored: ObjectSchema = {
  type: 'object',
  properties: {
    region: { type: 'string', description: 'Also in the header Mcp-Param-Region', 'x-mcp-header': 'Region' },
    level: { type: 'integer', description: 'In the body alone' },
  },
};

/** Every kind of content, errors, and input schemas of every shape. The first one takes no arguments, as the referee needs. */
export const contentTools: readonly McpTool[] = [
  answering('test_simple_text', 'Text alone.', {
    type: 'text',
    text: 'This is a simple text response for testing.',
  }),
  answering('test_image_content', 'An image.', image),
  answering('test_audio_content', 'Sound.', { type: 'audio', data: wav, mimeType: 'audio/wav' }),
  answering(
    'test_embedded_resource',
    'A resource within the answer.',
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  answering(
    'test_multiple_content_types',
    'Text, an image and a resource.',
    { type: 'text', text: 'Multiple content types test:' },
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  fixture('test_error_handling', { description: 'Fails.' }, () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  fixture('json_schema_2020_12_tool', { description: 'Takes a rich schema.', input: everyKeyword }, (_, input) =>
    text(JSON.stringify(input)),
  ),
  fixture('test_x_mcp_header', { description: 'Mirrors an argument.', input: mirrored }, (_, { region }) =>
    text(`region=${String(region)}`),
  ),
  fixture('test_streaming_elicitation', { description: 'Answers, and asks nothing.' }, () => text('Only a result.')),
];
