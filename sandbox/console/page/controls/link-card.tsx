import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { callApi } from '../state/api.ts';
import { showError } from '../state/console-state.ts';
import { Card, Form } from './card.tsx';

interface Link {
  readonly url: string;
}

/** Creates a click-to-chat link, with which a user starts a conversation (contract, "Rules of use" 2). */
export const LinkCard = () => {
  const [text, setText] = useState('Hello, I have a question.');
  const [link, setLink] = useState<Link | undefined>();
  const create = async () => {
    const result = await callApi<Link>('POST', '/sandbox/links', { text });
    if (result.ok) setLink(result.value);
    else showError(result.error);
  };
  return (
    <Card title="Click-to-chat link">
      <Form onSubmit={create}>
        <TextField label="Prefilled text" value={text} onText={setText} />
        <Button>Create link</Button>
        <p class="hint">
          The link opens a chat with this text already typed. Sending it opens the conversation window.
        </p>
      </Form>
      {link && (
        <p class="link">
          <a href={pathOf(link.url)}>{link.url}</a>
        </p>
      )}
    </Card>
  );
};

/** Drops the origin, so that the link works under the host name of this page. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};
