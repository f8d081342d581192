import {
  completable,
  inputRequired,
  type ContentBlock,
  type GetPromptResult,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { png } from './fixture.ts';
import { answered, askFor } from './input-required.ts';

function says(...content: ContentBlock[]): GetPromptResult {
  return { messages: content.map((block) => ({ role: 'user', content: block })) };
}
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

const twoArguments = z.object({
  arg1: completable(z.string().describe('The first'), (value) =>
    ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
  ),
  arg2: z.string().describe('The second'),
});

/** The prompts that the referee gets and completes. */
export function prompts(mcp: McpServer): void {
  mcp.registerPrompt('test_simple_prompt', { description: 'Text alone.' }, () =>
    says(text('This is a simple prompt for testing.')),
  );
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Takes two arguments.', argsSchema: twoArguments },
    ({ arg1, arg2 }) => says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Has a resource in it.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) =>
      says(
        { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
        text('Please process the embedded resource above.'),
      ),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'Has an image in it.' }, () =>
    says({ type: 'image', data: png, mimeType: 'image/png' }, text('Please analyze the image above.')),
  );
  mcp.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks first.', argsSchema: z.object({}) },
    (_, sdk) => {
      const context = answered(sdk, 'user_context', 'context');
      return context === null
        ? inputRequired({ inputRequests: { user_context: askFor('context') } })
        : says(text(`Mind this: ${context}`));
    },
  );
}
