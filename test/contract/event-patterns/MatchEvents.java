import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.Machine;

/**
 * Reads lines of JSON, each with a pattern and events. For each, prints a line of JSON with whether each event matches,
 * or with the error of an invalid pattern.
 */
public class MatchEvents {
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode one = json.readTree(line);
      out.println(json.writeValueAsString(answer(one)));
    }
    out.flush();
  }

  private static Object answer(JsonNode one) throws Exception {
    Machine machine = new Machine();
    try {
      machine.addRule("rule", one.get("pattern").toString());
    } catch (Exception invalid) {
      return invalid.getMessage();
    }
    boolean[] matches = new boolean[one.get("events").size()];
    for (int index = 0; index < matches.length; index++) {
      matches[index] = !machine.rulesForJSONEvent(one.get("events").get(index).toString()).isEmpty();
    }
    return matches;
  }
}
