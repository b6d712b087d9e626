// The innermost method around a line, or the line: [path, line] in, [first, last] out, one JSON value a line.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

public class Functions {
    public static void main(String[] arguments) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            String path = request.substring(request.indexOf('"') + 1, request.lastIndexOf('"'));
            long line = Long.parseLong(request.substring(request.lastIndexOf(',') + 1, request.length() - 1).trim());
            StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
            JavacTask task = (JavacTask) compiler.getTask(
                    new StringWriter(), files, d -> { }, List.of("-proc:none"), null, files.getJavaFileObjects(path));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            long[] best = {line, line};
            for (CompilationUnitTree unit : task.parse()) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitMethod(MethodTree method, Void nothing) {
                        LineMap lines = unit.getLineMap();
                        long first = lines.getLineNumber(positions.getStartPosition(unit, method));
                        long last = lines.getLineNumber(positions.getEndPosition(unit, method));
                        if (first <= line && line <= last) {
                            best[0] = first;
                            best[1] = last;
                        }
                        return super.visitMethod(method, nothing);
                    }
                }.scan(unit, null);
            }
            System.out.println("[" + best[0] + "," + best[1] + "]");
        }
    }
}
