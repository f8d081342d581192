import { words } from './words.ts';

/** Words of the chat. */
export const chat = words({
  title: 'Ask your documents',
  newChat: 'New conversation',
  conversations: 'Conversations',
  noConversations: 'Your questions appear here.',
  question: 'Your question',
  placeholder: 'Ask about what your documents say',
  send: 'Ask',
  stop: 'Stop',
  emptyTitle: 'Ask a question',
  empty:
    'Answers quote your documents and cite their place on the page. Without a model they are quotes; with one they are written.',
  examples: [
    'What is the total of the latest invoice?',
    'Who is the delivery note for?',
    'When does the festival begin?',
  ],
  sources: 'Sources',
  source: (index: number) => `Source ${index}`,
  page: (page: number) => `page ${page + 1}`,
  certainty: {
    sure: 'Sure: a sentence has all words of your question',
    likely: 'Likely: the sources have most words of your question',
    unsure: 'Not sure: these are the closest passages',
  },
  unverified: (quote: string) => `No source has this quotation: “${quote}”`,
  notices: {
    model_failed: 'The model did not answer. Quotes replace its answer.',
    model_broke_off: 'The model broke off. The answer is incomplete.',
  },
  answeredBy: (label: string) => `Answered by ${label}`,
  remove: 'Delete conversation',
  removed: 'Conversation deleted',
  scopeDocument: 'About one document',
  scopeProject: (name: string) => `About ${name}`,
  scopeAll: 'About all documents of the organization',
  thinking: 'Looking through the documents',
});
