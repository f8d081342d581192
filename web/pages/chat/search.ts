import { known, text, type Raw } from '../../state/search.ts';

/** `chat`: a stored conversation. `document`: asks about this document alone. */
export const chatSearch = (raw: Raw) => known({ chat: text(raw, 'chat'), document: text(raw, 'document') });
