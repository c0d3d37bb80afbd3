import { Button } from '../components/button.tsx';
import { focusTemplate } from '../controls/focus-field.ts';
import { useWindowEnd, useWindowTime } from '../phone/open-windows.ts';
import { useConsole, useSelectedUser } from '../state/console-state.ts';
import { Banner } from './banner.tsx';

/** The selected user's conversation window was open and has closed. */
export const WindowBanner = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const user = useSelectedUser();
  const closesAt = useWindowEnd();
  const now = useWindowTime(user === undefined ? [] : [user]);
  if (!hasInspector || user === undefined || closesAt === undefined || now < closesAt) return null;
  return (
    <Banner
      tone="pending"
      sentence={`The conversation window of ${user.name || user.contact} is closed. Only templates can be sent.`}
    >
      <Button onClick={focusTemplate}>Use a template</Button>
    </Banner>
  );
};
