import { Button } from '../components/button.tsx';
import { focusTemplate } from '../controls/focus-field.ts';
import { useConsole, useSelectedUser } from '../state/console-state.ts';
import { useConversationWindow } from '../state/conversation-window.ts';
import { Banner } from './banner.tsx';

/** The selected user's conversation window was open and has closed. */
export const WindowBanner = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const user = useSelectedUser();
  const { state } = useConversationWindow();
  if (!hasInspector || user === undefined || state !== 'closed') return null;
  return (
    <Banner
      tone="pending"
      sentence={`The conversation window of ${user.name || user.contact} is closed. Only templates can be sent.`}
    >
      <Button onClick={focusTemplate}>Use a template</Button>
    </Banner>
  );
};
